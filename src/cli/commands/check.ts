import { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import { checkChain } from '../../chain/check/checkChain.ts'
import { checkOlderRoots, type OlderRootsReport } from '../../chain/check/checkOlderRoots.ts'
import type { Problem } from '../../chain/check/problem.ts'
import { configuredNetwork } from '../../config/networks/configured.ts'
import { createStateChecker } from '../../execution/stateChecker.ts'
import { findLostKeys } from '../../storage/access/keyedDirectory.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { openConfiguredStores } from '../openNode.ts'

/** `rhizome check`: checks the store and reports problems. */
export const check = defineCommand({
  name: 'check',
  summary: 'walk the store and print what is wrong with it; nothing is written',
  files: 'none',
  options: ['network', 'activationHeights', 'dataDir', 'config', 'logLevel', 'logFormat'],
  extra: {
    blocks: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 128,
      doc: 'Newest blocks whose whole state is read',
    },
    full: {
      kind: 'boolean',
      group: 'Command',
      default: false,
      doc: 'Read the state of every block, recover senders, check proofs of work, count the index of logs',
    },
    olderRoots: {
      kind: 'boolean',
      group: 'Command',
      default: false,
      doc: 'Compare every 10,000th state root before RSKIP126 with its state; search the first that differs',
    },
  },
  run: async ({ config, extra, stdout, stderr }) => {
    const spec = configuredNetwork(config)
    const opened = await openConfiguredStores(config, { checksPages: true })
    try {
      const onHeight =
        stderr.isTTY === true
          ? (height: number) => {
              stderr.write(`\r\u001b[2Kblock ${height}`)
            }
          : undefined
      const checked = checkChain({
        spec,
        environment: opened.environment,
        states: createStateChecker(spec, opened.stateStore),
        stateBlocks: extra.full ? Number.POSITIVE_INFINITY : extra.blocks,
        full: extra.full,
        ...(onHeight && { onHeight }),
      })
      const { blocks, sideBlocks, states } = checked
      const older =
        extra.olderRoots && blocks > 0
          ? await checkOlderRoots({
              spec,
              reader: new ChainStoreReader(spec, opened.environment),
              stateStore: opened.stateStore,
              ...(onHeight && { onHeight }),
            })
          : null
      const problems = older === null ? checked.problems : [...checked.problems, ...olderProblems(older)]
      if (stderr.isTTY === true) stderr.write('\r\u001b[2K')
      for (const { number, hash, message } of problems) {
        stdout.write(`${number === null ? 'store' : `block ${number} ${hash}`}: ${message}\n`)
      }
      if (older !== null) stdout.write(olderRootsText(spec.activationHeights.rskip85, older))
      const lostKeys = findLostKeys(config.dataDir)
      if (lostKeys !== null) stdout.write(`${lostKeys}\n`)
      const count = problems.length + (lostKeys === null ? 0 : 1)
      stdout.write(`${blocks} blocks, ${sideBlocks} side blocks, ${states} states: ${count} problems\n`)
      return count === 0 ? EXIT_CODES.ok : EXIT_CODES.damaged
    } finally {
      await opened.close()
    }
  },
})

function olderProblems({ problems, first }: OlderRootsReport): readonly Problem[] {
  if (first === null) return problems
  const { number, hash, expected, found } = first
  const message = `it is the first whose header names another state: expected ${expected.toString('hex')}, found ${found.toString('hex')}`
  return [...problems, { number, hash: hash.toString('hex'), message }]
}

function olderRootsText(binding: number, { compared, first, below }: OlderRootsReport): string {
  const lines = [
    `state roots before RSKIP126: ${compared} compared, ${first === null ? 'all equal' : 'not all equal'}`,
  ]
  if (below.compared > 0) {
    const [lowest] = below.differing
    const which = lowest === undefined ? '' : `, the lowest at block ${lowest.number}`
    lines.push(
      `state roots below block ${binding}, where nothing checks them: ${below.compared} compared, ${below.differing.length} differ${which}`,
    )
  }
  return `${lines.join('\n')}\n`
}
