import type { CfnStack } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { Outputs, Parameters } from "./template";

export type { Outputs, Parameters } from "./template";

export interface AskbackProps extends Parameters {
  /** The folder with the unpacked artifacts of the same release. */
  readonly artifacts: string;
}

/**
 * The stack of a release, nested in yours.
 *
 * A parameter that you do not set has the template's default. Throws for artifacts of another release, a name that is
 * no parameter, and a stack whose name is too long.
 */
export declare class Askback extends Construct {
  /** The nested stack. */
  readonly stack: CfnStack;
  /** The outputs of the nested stack, as values that you can pass on. */
  readonly outputs: Outputs;
  constructor(scope: Construct, id: string, props: AskbackProps);
}
