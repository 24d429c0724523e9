import { MAX_BLOCK_TIME_SECONDS } from '../../config/options/production.ts'
import type { AskNode } from '../../mining/soloMiner.ts'
import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { createAsk, NODE_URL } from '../nodeClient.ts'

/** `rhizome produce`: block production of a running development chain. */
export const produce = defineCommand({
  name: 'produce',
  summary: 'make blocks on a running development chain, or switch how it makes them',
  details: 'Without options it says how blocks are made.',
  files: 'none',
  options: [],
  extra: {
    ...NODE_URL,
    mode: {
      kind: 'choice',
      group: 'Command',
      values: ['instant', 'interval', 'manual', 'unchanged'],
      default: 'unchanged',
      doc: 'From now on a block per transaction, one every --block-time seconds, or only those asked for',
    },
    blockTime: {
      kind: 'integer',
      group: 'Command',
      minimum: 1,
      maximum: MAX_BLOCK_TIME_SECONDS,
      default: 30,
      doc: 'Seconds between the blocks of the mode interval',
    },
    blocks: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: 100_000,
      default: 0,
      doc: 'Blocks to make now, after the mode was switched',
    },
    timestamp: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      doc: 'Time of the first of them, seconds since 1970; 0 is the time of the node',
    },
  },
  run: async ({ extra, stdout }) => {
    const { url, mode, blockTime, blocks, timestamp } = extra
    const ask = createAsk(url)
    try {
      if (mode !== 'unchanged') await switchMode(ask, mode, blockTime)
      if (blocks > 0) await ask('evm_mine', [{ blocks, ...(timestamp === 0 ? {} : { timestamp }) }])
      stdout.write(`${await describe(ask)}\n`)
    } catch (error) {
      throw new CommandError('Failed', (error as Error).message, undefined, { cause: error })
    }
    return EXIT_CODES.ok
  },
})

async function switchMode(ask: AskNode, mode: string, blockTime: number): Promise<void> {
  await ask('anvil_setIntervalMining', [mode === 'interval' ? blockTime : 0])
  await ask('evm_setAutomine', [mode === 'instant'])
}

async function describe(ask: AskNode): Promise<string> {
  const [instant, interval, head] = await Promise.all([
    ask('hardhat_getAutomine', []),
    ask('anvil_getIntervalMining', []),
    ask('eth_blockNumber', []),
  ])
  const ways = [
    ...(instant === true ? ['a block for every transaction'] : []),
    ...(interval === null
      ? []
      : [`a block every ${Array.isArray(interval) ? interval.join(' to ') : String(interval)} s`]),
  ]
  return `head ${Number(head)}; ${ways.length === 0 ? 'blocks when asked for' : ways.join(' and ')}`
}
