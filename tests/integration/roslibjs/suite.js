// The protocol suite as stock roslibjs plays it; prints one JSON object.
"use strict";

const ROSLIB = require("roslib");

const [url, robot] = process.argv.slice(2);
const DEADLINE_MS = 60000;

function bounded(name, start) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(name + ": no answer")), DEADLINE_MS);
    start(
      (value) => { clearTimeout(timer); resolve(value); },
      (error) => { clearTimeout(timer); reject(new Error(name + ": " + error)); },
    );
  });
}

function once(ros, topic) {
  return bounded(topic.name, (resolve) => {
    topic.subscribe((message) => { topic.unsubscribe(); resolve(message); });
  });
}

function call(ros, name, type, args) {
  const service = new ROSLIB.Service({ ros, name, serviceType: type });
  return bounded(name, (resolve, reject) =>
    service.callService(new ROSLIB.ServiceRequest(args), resolve, reject));
}

async function main() {
  const ros = new ROSLIB.Ros({});
  await bounded("connection", (resolve, reject) => {
    ros.on("connection", resolve);
    ros.on("error", reject);
    ros.connect(url);
  });
  const seen = {};

  const listed = await bounded("topics", (resolve, reject) => ros.getTopics(resolve, reject));
  seen.topics = listed.topics;
  seen.status_type = await bounded("type", (resolve, reject) =>
    ros.getTopicType(`/${robot}/move_base/status`, resolve, reject));
  seen.unknown_type = await bounded("type", (resolve, reject) =>
    ros.getTopicType("/nobody", resolve, reject));
  seen.unknown_service = await call(ros, "/x", "std_srvs/Empty", {}).then(
    () => "answered", (error) => error.message);

  const chatter = { ros, name: "/chatter_roslibjs", messageType: "std_msgs/String" };
  const heard = once(ros, new ROSLIB.Topic(chatter));
  const speaker = new ROSLIB.Topic(chatter);
  const repeat = setInterval(() => speaker.publish(new ROSLIB.Message({ data: "grüß" })), 100);
  seen.echo = (await heard).data;
  clearInterval(repeat);

  for (const compression of ["none", "cbor", "png"]) {
    const grid = await once(ros, new ROSLIB.Topic({
      ros, name: `/${robot}/map`, messageType: "nav_msgs/OccupancyGrid", compression,
    }));
    seen["map_" + compression] = [grid.info.width, grid.info.height, grid.data.length];
  }
  const raw = await once(ros, new ROSLIB.Topic({
    ros, name: `/${robot}/map`, messageType: "nav_msgs/OccupancyGrid", compression: "cbor-raw",
  }));
  seen.raw_bytes = raw.bytes.length;

  const adding = { ros, name: "/add_roslibjs", serviceType: "rospy_tutorials/AddTwoInts" };
  const provider = new ROSLIB.Service(adding);
  provider.advertise((request, response) => {
    response.sum = request.a + request.b;
    return true;
  });
  seen.sum = (await call(ros, adding.name, adding.serviceType, { a: 2, b: 3 })).sum;
  provider.unadvertise();

  const param = new ROSLIB.Param({ ros, name: "/param_roslibjs" });
  await bounded("set", (resolve) => param.set({ a: [1, 2] }, resolve));
  seen.param = await bounded("get", (resolve) => param.get(resolve));
  await bounded("delete", (resolve) => param.delete(resolve));

  const actions = new ROSLIB.ActionClient({
    ros, serverName: `/${robot}/move_base`, actionName: "move_base_msgs/MoveBaseAction",
  });
  const goal = new ROSLIB.Goal({
    actionClient: actions,
    goalMessage: {
      target_pose: {
        header: { frame_id: "map" },
        pose: { position: { x: 3, y: 2 * Number(robot.slice(-1)) - 1, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } },
      },
    },
  });
  const ended = bounded("goal", (resolve) => goal.on("result", resolve));
  goal.send();
  await ended;
  seen.goal_status = await bounded("status", (resolve) => {
    const look = setInterval(() => {
      if (goal.status && goal.status.status > 1) { clearInterval(look); resolve(goal.status.status); }
    }, 20);
  });

  console.log(JSON.stringify(seen));
  ros.close();
  process.exit(0);
}

main().catch((error) => { console.error(error); process.exit(1); });
