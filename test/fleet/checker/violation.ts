import type { Entry } from './history.ts'

/** Rules that a history may break. */
export type Rule =
  | 'head'
  | 'count'
  | 'acknowledged'
  | 'filter'
  | 'logs'
  | 'subscription'
  | 'usage'
  | 'rate'
  | 'quota'
  | 'key'
  | 'healed'

/** A rule that does not hold, and the requests that show it. */
export interface Violation {
  readonly rule: Rule
  readonly message: string
  readonly entries: readonly Entry[]
}

/** One line for people. */
export function describeEntry({ client, member, operation, begin, end, outcome, head }: Entry): string {
  const { kind, ...what } = operation
  const seen = head === undefined ? '' : ` at ${head.number} ${head.hash?.slice(0, 10) ?? ''}`
  const result =
    outcome.kind === 'answered'
      ? JSON.stringify(outcome.value)
      : outcome.kind === 'refused'
        ? `refused ${outcome.code} ${outcome.message}`
        : 'no answer'
  return `client ${client} at member ${member}, ${begin.toFixed(1)} to ${end.toFixed(1)} ms: ${kind} ${JSON.stringify(what)}: ${result}${seen}`
}
