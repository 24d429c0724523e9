import { checkChain } from '../../chain/check/checkChain.ts'
import { configuredNetwork } from '../../config/networks/configured.ts'
import { createStateChecker } from '../../execution/stateChecker.ts'
import { findLostKeys } from '../../storage/access/keyedDirectory.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { openConfiguredStores } from '../openNode.ts'

/** `rhizome check`: walks the store and says what is wrong with it. */
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
  },
  run: async ({ config, extra, stdout, stderr }) => {
    const spec = configuredNetwork(config)
    const opened = await openConfiguredStores(config, { checksPages: true })
    try {
      const { problems, blocks, sideBlocks, states } = checkChain({
        spec,
        environment: opened.environment,
        states: createStateChecker(spec, opened.stateStore),
        stateBlocks: extra.full ? Number.POSITIVE_INFINITY : extra.blocks,
        full: extra.full,
        ...(stderr.isTTY === true
          ? { onHeight: (height) => stderr.write(`\r\u001b[2Kblock ${height}`) }
          : {}),
      })
      if (stderr.isTTY === true) stderr.write('\r\u001b[2K')
      for (const { number, hash, message } of problems) {
        stdout.write(`${number === null ? 'store' : `block ${number} ${hash}`}: ${message}\n`)
      }
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
