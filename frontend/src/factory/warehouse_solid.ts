/** A simulated warehouse from aside: pods as boxes, floors one above the other. */

export interface Solid {
  cells: [tier: number, x: number, y: number][];
  colour: (index: number) => string;
  stored: Set<number>;
  robots: [tier: number, x: number, y: number, heading: number, loaded: number][];
  pod: string;
  carried: string;
  robot: string;
  side: string;
}

type Point = [number, number];

const LEAST_TIER = 5;
const TIER_SHARE = 0.4; // of the floor's length: so that one floor hides little of the one below
const POD_HEIGHT = 1.7;
const LIFTED = 0.25;
const ROBOT_HEIGHT = 0.35;
const FLATTEN = 0.55; // how far the eye is above the floor: 1 is straight above

interface Box {
  depth: number;
  draw: () => void;
}

/** Draws it as large as it fits into the width; the height follows. */
export function drawSolid(canvas: HTMLCanvasElement, solid: Solid, width: number, degrees: number): void {
  const context = canvas.getContext("2d");
  if (context === null || solid.cells.length === 0) return;
  const turn = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const spread = Math.max(...[1, 2].map((n) => span(solid.cells.map((cell) => cell[n] ?? 0))));
  const tierHeight = Math.max(LEAST_TIER, TIER_SHARE * spread);
  const flat = (x: number, y: number, z: number): Point => [x * cos - y * sin, -(x * sin + y * cos) * FLATTEN - z];
  const corners = bounds(solid.cells, flat, tierHeight);
  const scale = width / (corners.right - corners.left);
  canvas.width = Math.floor(width);
  canvas.height = Math.ceil((corners.bottom - corners.top) * scale);
  const at = (x: number, y: number, z: number): Point => {
    const [column, row] = flat(x, y, z);
    return [(column - corners.left) * scale, (row - corners.top) * scale];
  };
  const away = (x: number, y: number): number => x * sin + y * cos;
  const boxes: (Box & { tier: number })[] = [];
  const box = (x: number, y: number, tier: number, half: number, from: number, height: number, top: string): void => {
    const low = tier * tierHeight + from;
    boxes.push({ tier, depth: away(x, y), draw: () => upright(context, at, x, y, half, low, low + height, top, solid.side) });
  };
  for (const index of solid.stored) {
    const cell = solid.cells[index];
    if (cell !== undefined) box(cell[1], cell[2], cell[0], 0.42, LIFTED, POD_HEIGHT, solid.pod);
  }
  for (const [tier, x, y, , loaded] of solid.robots) {
    box(x, y, tier, 0.36, 0, ROBOT_HEIGHT, solid.robot);
    if (loaded) box(x, y - 1e-3, tier, 0.42, ROBOT_HEIGHT, POD_HEIGHT, solid.carried);
  }
  context.clearRect(0, 0, canvas.width, canvas.height);
  const tiers = span(solid.cells.map((cell) => cell[0]));
  for (let tier = 0; tier <= tiers; tier += 1) {
    solid.cells.forEach(([on, x, y], index) => {
      if (on !== tier) return;
      const z = tier * tierHeight;
      context.fillStyle = solid.colour(index);
      const h = 0.52; // a little more than half: no seam shows what is below
      quad(context, [at(x - h, y - h, z), at(x + h, y - h, z), at(x + h, y + h, z), at(x - h, y + h, z)]);
    });
    // What is farther away first, so that what is nearer hides it.
    for (const each of boxes.filter((one) => one.tier === tier).sort((a, b) => b.depth - a.depth)) each.draw();
  }
}

function span(values: number[]): number {
  return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
}

function bounds(cells: Solid["cells"], flat: (x: number, y: number, z: number) => Point, tierHeight: number) {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [tier, x, y] of cells) {
    for (const [dx, dy] of [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]] as const) {
      const z = tier * tierHeight;
      const [column, row] = flat(x + dx, y + dy, z);
      left = Math.min(left, column);
      right = Math.max(right, column);
      top = Math.min(top, row - POD_HEIGHT - ROBOT_HEIGHT);
      bottom = Math.max(bottom, row);
    }
  }
  return { left, right, top, bottom };
}

function quad(context: CanvasRenderingContext2D, points: Point[]): void {
  context.beginPath();
  points.forEach((point, index) => (index ? context.lineTo(...point) : context.moveTo(...point)));
  context.closePath();
  context.fill();
}

/** The sides that are seen, then the top. */
function upright(
  context: CanvasRenderingContext2D,
  at: (x: number, y: number, z: number) => Point,
  x: number,
  y: number,
  half: number,
  low: number,
  high: number,
  top: string,
  side: string,
): void {
  const around: Point[] = [[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]];
  around.forEach(([x1, y1], index) => {
    const [x2, y2] = around[(index + 1) % 4] ?? [x1, y1];
    const [from, to] = [at(x1, y1, low), at(x2, y2, low)];
    if (to[0] <= from[0]) return; // seen from behind
    const face = [from, to, at(x2, y2, high), at(x1, y1, high)];
    context.fillStyle = top;
    quad(context, face);
    context.fillStyle = side;
    context.globalAlpha = index % 2 ? 0.42 : 0.25;
    quad(context, face);
    context.globalAlpha = 1;
  });
  context.fillStyle = top;
  quad(context, around.map(([cx, cy]) => at(cx, cy, high)));
}
