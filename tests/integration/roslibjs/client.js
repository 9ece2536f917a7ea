// What the suites for stock roslibjs share: nothing waits for ever.
"use strict";

const ROSLIB = require("roslib");

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

async function connect(url) {
  const ros = new ROSLIB.Ros({});
  await bounded("connection", (resolve, reject) => {
    ros.on("connection", resolve);
    ros.on("error", reject);
    ros.connect(url);
  });
  return ros;
}

function call(ros, name, serviceType, args) {
  const service = new ROSLIB.Service({ ros, name, serviceType });
  return bounded(name, (resolve, reject) =>
    service.callService(new ROSLIB.ServiceRequest(args), resolve, reject));
}

// Prints what was seen as one JSON object and ends.
function play(scenario) {
  scenario(process.argv[2]).then((seen) => {
    console.log(JSON.stringify(seen));
    process.exit(0);
  }, (error) => { console.error(error); process.exit(1); });
}

module.exports = { bounded, call, connect, play };
