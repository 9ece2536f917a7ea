// A warehouse as stock roslibjs plays it; prints one JSON object.
"use strict";

const ROSLIB = require("roslib");

const { bounded, call: callOf, connect, play } = require("./client.js");

play(async (url) => {
  const ros = await connect(url);
  const call = (...asked) => callOf(ros, ...asked);
  const topic = (name, messageType) => new ROSLIB.Topic({ ros, name, messageType });
  const until = (heard, wanted) => bounded(heard.name, (resolve) => {
    heard.subscribe((message) => {
      if (wanted(message)) { heard.unsubscribe(); resolve(message); }
    });
  });
  const position = async (name) => (await call(
    "/get_model_state", "gazebo_msgs/GetModelState", { model_name: name },
  )).pose.position;

  const seen = {};
  const numbers = {
    header: {}, warehouse_name: "JS", warehouse_id: "1", robots: 2, items: 4, shelves: 2,
    replace: true,
  };
  const create = "/warehouse/create_warehouse_models";
  const kind = "warehouse_msgs/CreateWarehouse";
  seen.created = (await call(create, kind, numbers)).success;
  delete numbers.shelves;
  seen.missing = await call(create, kind, numbers).then(() => "", (error) => error.message);

  const started = await position("kiva1");
  const reports = topic("/warehouse/reports", "warehouse_msgs/Report");
  const ended = until(reports, (m) => m.outcome === "done");
  const status = until(topic("/kiva1/status", "std_msgs/String"), (m) => m.data === "busy");
  topic("/movy", "warehouse_msgs/MovY").publish(
    new ROSLIB.Message({ dist: -2, kiva_id: "1" }));
  seen.status = (await status).data;
  seen.ended = (await ended).command;
  const there = await position("kiva1");
  seen.moved = [there.x - started.x, there.y - started.y];

  const refused = until(reports, (m) => m.outcome === "refused");
  topic("/lift", "warehouse_msgs/Lift").publish(
    new ROSLIB.Message({ status: 1, kiva_id: "1", shelf_id: "1" }));
  seen.refused = (await refused).reason;
  seen.item = (await until(topic("/items/item1/pose", "geometry_msgs/PoseStamped"),
    () => true)).header.frame_id;
  seen.rays = (await until(topic("/kiva1/chassis/laser/scan", "sensor_msgs/LaserScan"),
    () => true)).ranges.length;

  return seen;
});
