import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importBlocks } from '../../src/chain/import/importBlocks.ts'
import { createLocalExecution } from '../../src/execution/localExecution.ts'
import { openChain } from '../../src/execution/openChain.ts'
import { createTransactionTracer } from '../../src/execution/transactionTracer.ts'
import { createStateReader } from '../../src/rpc/node/stateReader.ts'
import { fromHex } from '../../src/util/bytes.ts'
import { createChainContext } from '../support/chainContext.ts'
import { readJsonLines } from '../support/jsonLines.ts'
import { RecordedChain } from '../support/recordedChain.ts'
import { nodeInfoOf, type ReplayConfig } from './options/replayConfig.ts'
import type { ContextSource } from './run.ts'

/**
 * The recorded blocks with their states, which come of importing them.
 * @param replayConfig the set-up of the recorded node; that of most recordings unless given
 */
export async function createExecutedSource(
  chainPath: string,
  replayConfig?: ReplayConfig,
): Promise<ContextSource & { close(): Promise<void> }> {
  const recorded = new RecordedChain(readJsonLines(chainPath))
  const { spec } = recorded
  const dataDir = await mkdtemp(join(tmpdir(), 'rhizome-replay-'))
  const opened = openChain({ spec, dataDir })
  const close = async (): Promise<void> => {
    await opened.close()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await importBlocks({ path: chainPath, spec, chain: opened.chain, commitEvery: 16 })
  } catch (error) {
    await close()
    throw error
  }
  const { nativeSpec, stateStore: store } = opened
  return {
    close,
    supports: () => true,
    at: (head) => {
      const hash = fromHex(head)
      if (!recorded.has(hash)) return null
      const context = createChainContext(recorded.readerAt(hash))
      const { interrupt } = context
      const node = replayConfig === undefined ? context.node : nodeInfoOf(replayConfig)
      return {
        ...context,
        node,
        state: createStateReader(spec, store, context.chain),
        execution: createLocalExecution({ spec, nativeSpec, store, interrupt }),
        tracing: createTransactionTracer({
          spec,
          nativeSpec,
          store,
          interrupt,
          maxBytes: node.settings.answerBytes,
        }),
      }
    },
  }
}
