import type { NodeContext } from '../context.ts'
import type { MethodDefinition } from '../defineMethod.ts'
import type { Preferences } from '../preferences.ts'

/** A request of a method that has rules on forks. */
export interface ForkRequest {
  readonly context: NodeContext
  readonly method: MethodDefinition
  readonly values: readonly unknown[]
  readonly preferences: Preferences
}
