// A vehicle of another maker: the virtual one of vda-5050-lib, which checks every
// message that it gets and sends against the schemas of VDA 5050.
import { createRequire } from "node:module";

const library = createRequire(process.env.HOME_OF_PACKAGES)("vda-5050-lib");
const { AgvController, VirtualAgvAdapter } = library;
const vehicle = new AgvController(
  { manufacturer: "other", serialNumber: "agv1" },
  {
    interfaceName: "uagv",
    vdaVersion: "2.0.0",
    transport: { brokerUrl: process.env.BROKER },
  },
  { agvAdapterType: VirtualAgvAdapter, publishStateInterval: 5000 },
  {
    initialPosition: { mapId: "map", x: 1, y: 1, theta: 0, lastNodeId: "start" },
    vehicleSpeed: 2,
  },
);
await vehicle.start();
console.log("ready");
process.stdin.on("end", () => process.exit(0)).resume();
