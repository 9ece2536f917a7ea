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
  steering?: number; // of robots that steer like a car
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

export interface Ground {
  kind: "roads" | "sidewalks" | "crossings";
  x1_m: number;
  y1_m: number;
  x2_m: number;
  y2_m: number;
}

export interface Obstacle {
  id: string;
  corners: Point[];
  on_map: boolean;
}

// A robot that steers like a car, from above; x forward from the rear axle.
export interface Shape {
  vehicle: string;
  back: number;
  front: number;
  half: number;
  wheel_base: number;
  track: number;
  wheel_radius: number;
  wheel_width: number;
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
  ground: Ground[];
  obstacles: Obstacle[];
  shapes: Record<string, Shape>;
}
