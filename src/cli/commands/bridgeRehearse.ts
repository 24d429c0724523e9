import type { StepReport } from '../../rehearsal/report.ts'
import type { JsonRpc } from '../../rehearsal/rootstock/rootstockNode.ts'
import { fromHex } from '../../util/bytes.ts'
import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { createAsk, NODE_URL } from '../nodeClient.ts'

/** `rhizome bridge rehearse`: a peg on one machine, step by step. */
export const bridgeRehearse = defineCommand({
  name: 'bridge rehearse',
  summary:
    'go through peg-ins, peg-outs and a change of the federation with a simulated Bitcoin, step by step',
  details:
    'Works on a development node of regtest: a new one, which is gone afterwards, unless --url names one that runs. ' +
    'The Bridge of that one must be new, and stays as the rehearsal leaves it',
  files: 'none',
  options: [],
  extra: {
    url: {
      kind: 'optionalText',
      group: 'Command',
      placeholder: 'URL',
      pattern: NODE_URL.url.pattern,
      default: null,
      doc: 'JSON-RPC of a running development node; a new one is started unless given',
    },
    receiver: {
      kind: 'optionalText',
      group: 'Command',
      placeholder: 'ADDRESS',
      pattern: /^0x[0-9a-fA-F]{40}$/,
      default: null,
      doc: 'Account or contract on Rootstock that the peg-in with instructions pays',
    },
    raw: {
      kind: 'boolean',
      group: 'Command',
      default: false,
      doc: 'Print signed Bitcoin transactions whole',
    },
  },
  run: async ({ extra: { url, receiver, raw }, stdout }) => {
    const node = url === null ? await startNode() : { url, stop: async () => undefined }
    try {
      await rehearse(createAsk(node.url), receiver, (text) => stdout.write(text), raw)
    } finally {
      await node.stop()
    }
    return EXIT_CODES.ok
  },
})

/** A development node in this process; its modules are loaded when it is asked for. */
async function startNode(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { createNode } = await import('../../library/developmentNode.ts')
  return createNode({ network: 'regtest' })
}

async function rehearse(
  ask: JsonRpc,
  receiver: string | null,
  write: (text: string) => void,
  isRaw: boolean,
): Promise<void> {
  const [{ Rehearsal }, { RehearsalError }] = await loadRehearsal()
  const rehearsal = new Rehearsal({ ask, receiver: receiver === null ? undefined : fromHex(receiver) })
  let step = 0
  try {
    for await (const report of rehearsal.run()) {
      step += 1
      write(describe(report, `${step} of ${rehearsal.length}`, isRaw))
    }
  } catch (error) {
    if (error instanceof RehearsalError && error.code === 'UNSUITABLE') {
      throw new CommandError('Failed', error.message, EXIT_CODES.usage, { cause: error })
    }
    throw new CommandError('Failed', `step ${step + 1}: ${(error as Error).message}`, undefined, {
      cause: error,
    })
  }
  const bitcoin = rehearsal.bitcoin
  write(`The peg was rehearsed: ${bitcoin.height} blocks of Bitcoin, every release signed and mined.\n`)
}

/** Loads the rehearsal with the Bitcoin library, which no other command needs, and which an installed node has not. */
async function loadRehearsal() {
  try {
    return await Promise.all([import('../../rehearsal/rehearsal.ts'), import('../../rehearsal/errors.ts')])
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes('bitcoinjs-lib')) throw error
    const advice = 'install it beside Rhizome: npm install bitcoinjs-lib@7.0.0'
    throw new CommandError('Failed', `the rehearsal needs bitcoinjs-lib, which is not installed; ${advice}`)
  }
}

function describe({ title, text, metadata }: StepReport, position: string, isRaw: boolean): string {
  const shown = metadata.filter(([name]) => isRaw || name !== 'raw')
  const width = Math.max(...shown.map(([name]) => name.length)) + 2
  const lines = shown.map(([name, value]) => `  ${name.padEnd(width)}${value}\n`)
  return `${position}: ${title}\n${text}\n${lines.join('')}\n`
}
