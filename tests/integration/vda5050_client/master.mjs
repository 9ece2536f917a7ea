// A fleet control of another maker: gives one order to a vehicle and waits for its end.
import { createRequire } from "node:module";

const library = createRequire(process.env.HOME_OF_PACKAGES)("vda-5050-lib");
const master = new library.MasterController(
  {
    interfaceName: "uagv",
    vdaVersion: "2.0.0",
    transport: { brokerUrl: process.env.BROKER },
  },
  {},
);
await master.start();
const vehicle = { manufacturer: "shopfloor", serialNumber: "agv1" };
const seen = { states: 0, shown: 0, factsheet: false, connection: "" };
const topics = library.Topic;
await master.subscribe(topics.State, vehicle, () => (seen.states += 1));
await master.subscribe(topics.Visualization, vehicle, () => (seen.shown += 1));
await master.subscribe(topics.Factsheet, vehicle, () => (seen.factsheet = true));
await master.subscribe(topics.Connection, vehicle, (said) => (seen.connection = said.connectionState));
const stops = [
  ["a", 1, 1],
  ["b", 3, 1],
  ["c", 3, 3],
];
const nodes = stops.map(([nodeId, x, y], place) => ({
  nodeId,
  sequenceId: 2 * place,
  released: true,
  nodePosition: { x, y, mapId: "map" },
  actions: [],
}));
const edges = [
  ["ab", "a", "b"],
  ["bc", "b", "c"],
].map(([edgeId, startNodeId, endNodeId], place) => ({
  edgeId,
  startNodeId,
  endNodeId,
  sequenceId: 2 * place + 1,
  released: true,
  actions: [],
}));
const passed = [];
const end = await new Promise((ended) => {
  master.assignOrder(
    vehicle,
    { orderId: "theirs", orderUpdateId: 0, nodes, edges },
    {
      onNodeTraversed: (node) => passed.push(node.nodeId),
      onOrderProcessed: (withError, byCancelation, active) =>
        ended({ withError: !!withError, byCancelation, active }),
    },
  );
});
console.log(JSON.stringify({ ...seen, passed, ...end }));
process.exit(0);
