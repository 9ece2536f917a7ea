// The package ships no types; the modeller takes it as a module of its own kind.
declare module "bpmn-js-token-simulation/lib/modeler" {
  const tokenSimulation: Record<string, unknown>;
  export default tokenSimulation;
}
