// Which tasks a tablet fetches before anybody opens them.

const NEXT = 3;
const TASK_PATH = /^\/tasks\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** My tasks, then the next ones of the queue. */
export function wanted(rows: { task: string; mine: boolean }[], done: Set<string>): string[] {
  const open = rows.filter((row) => !done.has(row.task));
  const mine = open.filter((row) => row.mine);
  const next = open.filter((row) => !row.mine).slice(0, NEXT);
  const paths = [...mine, ...next].map((row) => `/tasks/${row.task}`);
  return [...new Set(paths)].filter((path) => TASK_PATH.test(path));
}
