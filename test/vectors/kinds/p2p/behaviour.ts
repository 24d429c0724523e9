import type { CaseValues, Comparison } from '../../comparison.ts'
import { CONNECTION_CHECKS } from './behaviourConnection.ts'
import { DISCOVERY_CHECKS } from './behaviourDiscovery.ts'
import { LEFT_TO_OTHERS } from './behaviourElsewhere.ts'
import { compareHeader, type HeaderLine } from './lines.ts'

/** A line: what was done to RSKj, and what it did. */
export type BehaviourLine = { readonly what: string } & Readonly<Record<string, unknown>>

/** Does the same to this node and compares. */
export type BehaviourCheck = (line: BehaviourLine, values: CaseValues) => void | Promise<void>

/**
 * p2p-behaviour.jsonl: what the layers below peers do is done to ours and compared. Lines of what stands above them
 * are not counted; behaviourElsewhere.ts names them. One that neither knows is a difference.
 */
export async function compareBehaviour(lines: AsyncIterable<unknown>, comparison: Comparison): Promise<void> {
  const checks: Readonly<Record<string, BehaviourCheck>> = { ...CONNECTION_CHECKS, ...DISCOVERY_CHECKS }
  for await (const line of lines) {
    const vector = line as HeaderLine | BehaviourLine
    if ('kind' in vector) {
      comparison.case('header', (values) => compareHeader(vector as HeaderLine, values))
      continue
    }
    const check = checks[vector.what]
    if (check === undefined && LEFT_TO_OTHERS.some(({ what }) => what.test(vector.what))) continue
    await comparison.asyncCase(vector.what ?? 'unknown', async (values) => {
      if (check === undefined) throw new Error(`unknown behaviour ${vector.what}`)
      await check(vector, values)
    })
  }
}
