import { regtest } from '../../src/config/networks/regtest.ts'
import { readJsonLines } from '../support/jsonLines.ts'
import { RecordedChain } from '../support/recordedChain.ts'
import { readExchanges } from './exchanges.ts'
import { createExecutedSource } from './executedSource.ts'
import type { RecordingHead } from './options/readOptions.ts'
import { replayConfigOf } from './options/replayConfig.ts'
import { type ReplayReport, replay } from './run.ts'
import { RecordedBlocks } from './scenario/recordedBlocks.ts'
import { Scenario } from './scenario/scenario.ts'

/** Files of a recording. */
export interface RecordingPaths {
  /** null where the blocks are not recorded: the node then makes its own, and hashes and times are mapped. */
  readonly chainPath: string | null
  readonly rpcPath: string
}

/**
 * Replays a recording: reads on the imported chain at the head they were asked at, everything else in order on a
 * living node.
 * @throws RecordingOptionError for an option of the recorded node that cannot be replayed
 */
export async function replayRecording(
  { chainPath, rpcPath }: RecordingPaths,
  onUnexpected: (method: string, error: unknown) => void,
): Promise<ReplayReport> {
  const [head] = readJsonLines(rpcPath) as RecordingHead[]
  if (head === undefined) throw new Error(`${rpcPath} is empty`)
  const replayConfig = replayConfigOf(head)
  const source = chainPath === null ? null : await createExecutedSource(chainPath, replayConfig)
  const exchanges = readExchanges(rpcPath)
  const scenario = await Scenario.open(replayConfig, blocksOf(chainPath), exchanges, onUnexpected)
  try {
    return await replay(exchanges, source, scenario, replayConfig.config)
  } finally {
    await scenario.close()
    await source?.close()
  }
}

function blocksOf(chainPath: string | null): RecordedBlocks {
  if (chainPath === null) return new RecordedBlocks(regtest, [])
  const lines = readJsonLines(chainPath)
  return new RecordedBlocks(new RecordedChain(lines).spec, lines)
}
