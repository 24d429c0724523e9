import { parseArgs } from 'node:util'
import { describeMachine } from '../report/machine.ts'
import { type Section, saveSections } from '../report/results.ts'
import { measureBetween } from './betweenNodes.ts'
import { measureLimitedServers } from './fromLimitedServers.ts'
import { measureReads } from './readsBeside.ts'

/** What of `bench -- sync` is to be measured, and how much of it. */
export interface SyncBenchOptions {
  readonly blocks: number
  readonly runs: number
  readonly servers: readonly number[]
  readonly limitedBlocks: number
  readonly seconds: number
  /** Part of the names of the chains to be taken. */
  readonly chain: string
}

/** `bench -- sync`: see `SYNC_HELP`. */
export async function benchSync(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: 'string', default: '10000' },
      runs: { type: 'string', default: '3' },
      only: { type: 'string', multiple: true },
      servers: { type: 'string', multiple: true, default: ['1', '4', '24'] },
      'limited-blocks': { type: 'string', default: '30000' },
      seconds: { type: 'string', default: '120' },
      chain: { type: 'string', default: '' },
    },
  })
  const options: SyncBenchOptions = {
    blocks: Number(values.blocks),
    runs: Number(values.runs),
    servers: values.servers.map(Number),
    limitedBlocks: Number(values['limited-blocks']),
    seconds: Number(values.seconds),
    chain: values.chain,
  }
  const machine = describeMachine()
  const chosen = (name: string) => values.only?.includes(name) ?? true
  const sections: Section[] = []
  const detail: Record<string, unknown> = {}
  if (chosen('between')) sections.push(await measureBetween(options, detail))
  if (chosen('reads')) sections.push(await measureReads(options, detail))
  if (chosen('servers')) sections.push(await measureLimitedServers(options, detail))
  saveSections('sync', machine, sections, { options, ...detail })
}
