// Which of two drafts of a field a form opens with.

export interface ServerDraft {
  value: unknown;
  at?: string;
}

interface Local {
  value: unknown;
  at: number;
  saved: boolean;
}

/** The newer of both wins; what the server has not got yet counts as newer. */
export function newer(
  local: Local | undefined,
  server: ServerDraft | undefined,
): unknown {
  if (!local) return server?.value;
  if (!server) return local.value;
  if (server.at === undefined) return local.saved ? server.value : local.value;
  return local.at >= Date.parse(server.at) ? local.value : server.value;
}
