// The protocol suite as stock roslibjs plays it; prints one JSON object.
"use strict";

const ROSLIB = require("roslib");

const { bounded, call, connect, play } = require("./client.js");

function once(ros, topic) {
  return bounded(topic.name, (resolve) => {
    topic.subscribe((message) => { topic.unsubscribe(); resolve(message); });
  });
}

play(async (url) => {
  const robot = process.argv[3];
  const ros = await connect(url);
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

  return seen;
});
