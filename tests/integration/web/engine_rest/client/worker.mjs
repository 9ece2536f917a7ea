// A worker as somebody would write it with Camunda's own client, which is used as it is.
// Prints one JSON object a line about what it did; ends when its standard input does.
import process from "node:process";

const { CLIENT, BASE_URL, TOKEN, WORKER, TOPIC, BEHAVIOUR, LOCK_MS, AT_ONCE } = process.env;
const { BasicAuthInterceptor, Client, Variables } = await import(CLIENT);

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const client = new Client({
  baseUrl: BASE_URL,
  workerId: WORKER,
  maxTasks: Number(AT_ONCE),
  lockDuration: Number(LOCK_MS),
  asyncResponseTimeout: 20000,
  interval: 5,
  interceptors: new BasicAuthInterceptor({ username: "worker", password: TOKEN }),
});

const behaviours = {
  async complete({ task, taskService }) {
    const seen = task.variables.getAll();
    const results = new Variables()
      .set("kg", (seen.kg ?? 0) * 2)
      .set("weighed", true)
      .set("lots", [{ lot: "A", kg: 1.5 }])
      .set("at", new Date(Date.UTC(2026, 10, 18, 10)))
      .set("note", null);
    say({ task: task.id, seen });
    await taskService.complete(task, results, new Variables().set("mine", 1));
  },
  async count({ task, taskService }) {
    await taskService.complete(task);
    say({ task: task.id });
  },
  async fail({ task, taskService }) {
    const retries = task.retries === null ? 2 : task.retries - 1;
    say({ task: task.id, retries });
    const errorDetails = "a long story";
    await taskService.handleFailure(task, {
      errorMessage: "no scale", errorDetails, retries, retryTimeout: 1,
    });
  },
  async throw({ task, taskService }) {
    const variables = new Variables().set("kg", 90);
    await taskService.handleBpmnError(task, "TOO_HEAVY", "90 kg", variables);
    say({ task: task.id });
  },
  async extend({ task, taskService }) {
    await taskService.extendLock(task, 600000);
    say({ task: task.id });
    await pause(2 * Number(LOCK_MS));
    await taskService.complete(task);
  },
  hang({ task }) {
    say({ task: task.id });
  },
};

client.on("poll:error", (error) => say({ error: `poll: ${error.message}` }));
for (const event of ["complete", "handleFailure", "handleBpmnError", "extendLock"])
  client.on(`${event}:error`, (task, error) => say({ error: `${event}: ${error.message}` }));
client.subscribe(TOPIC, behaviours[BEHAVIOUR]);

process.stdin.on("end", () => process.exit(0)).resume();
