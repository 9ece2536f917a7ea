// What the server sends: metres in the map's frame, y up, yaw counter-clockwise.

export type Point = [number, number];

export interface RobotFrame {
  id: string;
  x: number | null;
  y: number | null;
  yaw: number | null;
  speed: number | null;
  battery: number | null;
  link: string;
  ready: boolean;
  why_not: string | null;
  doing: "drives" | "waits" | "serves" | "free";
  place: string | null;
  order: string | null;
  instance: string | null;
  stopped: boolean;
  age_s: number | null;
  grey: boolean;
  path_no: number;
  plan?: Point[];
  driven?: Point[];
}

export interface PersonFrame {
  id: string;
  x: number;
  y: number;
  radius: number;
  age_s: number;
  grey: boolean;
}

export interface FloorFrame {
  robots: RobotFrame[];
  people: PersonFrame[];
}

export interface PlaceOnPlan {
  name: string;
  x: number;
  y: number;
  yaw: number;
  materials: string[];
  kind: "pickup" | "tank" | "home" | "place";
}

export interface FloorPlan {
  name: string;
  left: number;
  bottom: number;
  width: number;
  height: number;
  walls: [number, number, number, number][];
  racks: [number, number, number, number][];
  rooms: Point[][];
  places: PlaceOnPlan[];
  anchors: Point[];
}
