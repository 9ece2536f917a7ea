// What Foxglove does with a rosbridge server, by its own libraries: find out which
// version of ROS it is, take the definitions of all types from rosapi, subscribe to
// every topic as raw bytes and decode every message. Prints what it saw as JSON.
import { createRequire } from "node:module";

const load = createRequire(process.env.HOME_OF_PACKAGES);
globalThis.WebSocket ??= load("ws");
const ROSLIB = load("@foxglove/roslibjs");
const { parse } = load("@foxglove/rosmsg");
const { MessageReader: Ros1Reader } = load("@foxglove/rosmsg-serialization");
const { MessageReader: Ros2Reader } = load("@foxglove/rosmsg2-serialization");

const DEADLINE_MS = 60000;
const [url, wanted, given] = process.argv.slice(2);
const expected = new Set(JSON.parse(wanted));

function bounded(name, start) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name}: no answer`)), DEADLINE_MS);
    start((value) => { clearTimeout(timer); resolve(value); }, reject);
  });
}

function plain(_key, value) {
  if (typeof value === "bigint") return value.toString();
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
}

const ros = new ROSLIB.Ros({ transportLibrary: "websocket" });
await bounded("connection", (resolve, reject) => {
  ros.on("connection", resolve);
  ros.on("error", reject);
  ros.connect(url);
});
const told = await bounded("types", (resolve, reject) =>
  ros.getTopicsAndRawTypes(resolve, reject));
const nodes = await bounded("nodes", (resolve, reject) => ros.getNodes(resolve, reject));

let version = null;
for (const type of told.types) {
  if (type === "rcl_interfaces/msg/Log") version = 2;
  if (type === "rosgraph_msgs/Log") version = 1;
}
const seen = { version, nodes, topics: told.topics, heard: {}, counts: {}, refused: {} };
const readers = {};
told.topics.forEach((topic, index) => {
  try {
    const definition = parse(told.typedefs_full_text[index], { ros2: version === 2 });
    readers[topic] = version === 2 ? new Ros2Reader(definition) : new Ros1Reader(definition);
  } catch (error) {
    seen.refused[topic] = `definition: ${error.message}`;
  }
});

await bounded("messages", (resolve) => {
  const missing = new Set(expected);
  const listen = (topic, index) => {
    const name = told.types[index];
    new ROSLIB.Topic({ ros, name: topic, messageType: name, compression: "cbor-raw" })
      .subscribe((message) => {
        const bytes = message.bytes;
        try {
          const data = readers[topic].readMessage(
            new Uint8Array(bytes.buffer ?? bytes, bytes.byteOffset ?? 0, bytes.byteLength));
          seen.heard[topic] = JSON.parse(JSON.stringify(data, plain));
          seen.counts[topic] = (seen.counts[topic] ?? 0) + 1;
        } catch (error) {
          seen.refused[topic] ??= error.message;
        }
        missing.delete(topic);
        if (missing.size === 0) resolve();
      });
  };
  told.topics.forEach(listen);
  for (const [topic, type, body] of JSON.parse(given)) {
    const speaker = new ROSLIB.Topic({ ros, name: topic, messageType: type });
    speaker.advertise();
    speaker.publish(new ROSLIB.Message(body));
  }
  setTimeout(() => resolve(), DEADLINE_MS / 2).unref();
});
console.log(JSON.stringify(seen));
process.exit(0);
