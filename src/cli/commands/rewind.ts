import { rewindInSteps } from '../../chain/rewindInSteps.ts'
import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { interruptible } from '../interruption.ts'
import { openPresentChain } from '../openNode.ts'

/** `rhizome rewind --to N`: makes an earlier block the head again. */
export const rewind = defineCommand({
  name: 'rewind',
  summary: 'make an earlier block of the chain the head again',
  details:
    'Blocks above it are taken back as if they had never come, on every network, while no node runs. ' +
    'A node that starts afterwards asks its peers for them again; import brings them from a file. ' +
    'An interrupted rewind stops at a block in between: the same command goes on. Nothing is freed on the disk',
  files: 'none',
  options: ['network', 'activationHeights', 'dataDir', 'config', 'storeLimit', 'logLevel', 'logFormat'],
  extra: {
    to: {
      kind: 'optionalText',
      group: 'Command',
      placeholder: 'N',
      pattern: /^\d{1,15}$/,
      default: null,
      doc: 'Number of the block that becomes the head',
    },
  },
  run: async ({ config, extra, stdout, stderr }) => {
    const to = Number(extra.to ?? Number.NaN)
    if (Number.isNaN(to))
      throw new CommandError('Failed', 'say by --to which block is to be the head', EXIT_CODES.usage)
    const opened = openPresentChain(config)
    const { chain } = opened
    return interruptible(async (signal) => {
      assertReachable(to, chain.head.number, chain.reader.history())
      const onStep =
        stderr.isTTY === true ? (head: number) => stderr.write(`\r\u001b[2Kblock ${head}`) : () => undefined
      const blocks = await rewindInSteps(chain, to, { signal, onStep })
      if (stderr.isTTY === true) stderr.write('\r\u001b[2K')
      const { number, hashHex } = chain.head
      const interrupted = number > to ? '; interrupted' : ''
      stdout.write(`${blocks} blocks taken back; head ${number} 0x${hashHex}${interrupted}\n`)
      return EXIT_CODES.ok
    }).finally(() => opened.close())
  },
})

/** @throws CommandError */
function assertReachable(
  to: number,
  head: number,
  { firstBlock, firstState }: { readonly firstBlock: number; readonly firstState: number },
): void {
  if (to > head) {
    const message = `block ${to} is above the head, which is block ${head}: nothing was changed`
    throw new CommandError('Failed', message, EXIT_CODES.usage)
  }
  const oldest = Math.max(firstBlock, firstState)
  if (to < oldest) {
    const message = `block ${to} is below block ${oldest}, the oldest whose state this node keeps: nothing was changed`
    throw new CommandError('Failed', message, EXIT_CODES.usage)
  }
}
