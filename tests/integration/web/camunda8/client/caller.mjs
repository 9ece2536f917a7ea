// Calls Camunda's own client as it is told to, line by line: {"method", "args"} in,
// {"gave"} or {"refused"} out. Ends when its standard input does.
import process from "node:process";
import { createInterface } from "node:readline";

const { CLIENT } = process.env;
const { createCamundaClient } = await import(CLIENT);

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const client = createCamundaClient({ log: { level: "silent" } });

for await (const line of createInterface({ input: process.stdin })) {
  const { method, args } = JSON.parse(line);
  try {
    say({ gave: (await client[method](...args)) ?? null });
  } catch (error) {
    const { name, message, status, title, detail } = error;
    say({ refused: { name, message, status, title, detail } });
  }
}
process.exit(0);
