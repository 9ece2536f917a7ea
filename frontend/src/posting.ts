// Posts to the server, with an end to waiting for it.

const PATIENCE_MS = 6_000;

export interface Reply {
  status: number; // 0: no network
  said: Record<string, unknown>;
}

export async function post(url: string, body: unknown): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
      body: JSON.stringify(body),
    });
    if (response.type === "opaqueredirect") return { status: 401, said: {} };
    const said = (await response.json()) as Record<string, unknown>;
    return { status: response.status, said };
  } catch {
    return { status: 0, said: {} };
  }
}
