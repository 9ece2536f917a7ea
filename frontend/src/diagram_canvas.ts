/** The viewer's canvas as we use it. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Canvas {
  addMarker(element: string, marker: string): void;
  removeMarker(element: string, marker: string): void;
  zoom(step?: number | "fit-viewport", centre?: { x: number; y: number } | "auto"): number;
  scroll(delta: { dx: number; dy: number }): void;
  viewbox(box?: Box): Box & { inner: Box };
}
