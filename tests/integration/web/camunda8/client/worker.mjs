// A worker as somebody would write it with Camunda's own client, which is used as it is.
// Prints one JSON object a line about what it did; ends when its standard input does.
import process from "node:process";

const { CLIENT, WORKER, TOPIC, BEHAVIOUR, LOCK_MS, AT_ONCE } = process.env;
const { createCamundaClient } = await import(CLIENT);

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const transport = (event) => {
  if (event.level === "error") say({ error: JSON.stringify([event.scope, event.args]) });
};
const client = createCamundaClient({ log: { level: "error", transport } });

const behaviours = {
  async complete(job) {
    say({ job: job.jobKey, seen: job.variables, headers: job.customHeaders });
    const kg = (job.variables.kg ?? 0) * 2;
    return job.complete({ kg, weighed: true, lots: [{ lot: "A", kg: 1.5 }], note: null });
  },
  async count(job) {
    const receipt = await job.complete();
    say({ job: job.jobKey });
    return receipt;
  },
  async fail(job) {
    const retries = job.retries - 1;
    say({ job: job.jobKey, retries });
    return job.fail({ errorMessage: "no scale", retries, retryBackOff: 1 });
  },
  async throw(job) {
    const variables = { kg: 90 };
    say({ job: job.jobKey, threw: variables });
    return job.error({ errorCode: "TOO_HEAVY", errorMessage: "90 kg", variables });
  },
  async extend(job) {
    await job.modifyJobTimeout({ newTimeoutMs: 600000 });
    say({ job: job.jobKey });
    await pause(2 * Number(LOCK_MS));
    return job.complete();
  },
  async hang(job) {
    say({ job: job.jobKey });
    return new Promise(() => {});
  },
};

client.createJobWorker({
  jobType: TOPIC,
  workerName: WORKER,
  maxParallelJobs: Number(AT_ONCE),
  jobTimeoutMs: Number(LOCK_MS),
  jobHandler: behaviours[BEHAVIOUR],
});

process.stdin.on("end", () => process.exit(0)).resume();
