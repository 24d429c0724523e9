import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { SoloMiner } from '../../mining/soloMiner.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { untilInterrupted } from '../interruption.ts'
import { createAsk, NODE_URL } from '../nodeClient.ts'

const SHOWN_DIGITS = 18

/** `rhizome mine`: mines for a node that serves eth_getWork. */
export const mine = defineCommand({
  name: 'mine',
  summary: 'mine for a node over eth_getWork',
  details: 'Every processor searches; on regtest a block takes no time. Ends on Ctrl-C or SIGTERM.',
  files: 'none',
  printsNotices: true,
  options: [],
  extra: {
    ...NODE_URL,
    threads: {
      kind: 'integer',
      group: 'Command',
      minimum: 1,
      maximum: 1024,
      default: () => availableParallelism(),
      defaultText: 'processors',
      doc: 'Threads that search',
    },
    blocks: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      doc: 'End after so many blocks; 0 goes on',
    },
    pause: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: 86_400_000,
      default: 0,
      doc: 'Milliseconds to rest after a block',
    },
    pollTime: {
      kind: 'integer',
      group: 'Command',
      minimum: 10,
      maximum: 60_000,
      default: 1000,
      doc: 'Milliseconds between two looks for newer work',
    },
  },
  run: async ({ extra, stdout, stderr }) => {
    const { url, threads, blocks, pause, pollTime } = extra
    const stop = new AbortController()
    void untilInterrupted().then(() => stop.abort())
    let found = 0
    const start = performance.now()
    const miner = new SoloMiner({
      ask: createAsk(url),
      threads,
      pause,
      pollTime,
      id: randomBytes(32),
      onSolution: (accepted, work) => {
        stdout.write(`${accepted ? 'block' : 'refused'} ${work.slice(0, SHOWN_DIGITS)}…\n`)
        if (accepted) found += 1
        if (blocks > 0 && found >= blocks) stop.abort()
      },
      onFailure: (error) => stderr.write(`${error.message}\n`),
    })
    await miner.run(stop.signal)
    const seconds = (performance.now() - start) / 1000
    stdout.write(`${found} blocks, ${Math.round(Number(miner.hashes) / seconds)} hashes/s\n`)
    return EXIT_CODES.ok
  },
})
