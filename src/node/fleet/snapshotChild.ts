import { chosenNetwork } from '../../config/networks/configured.ts'
import { releaseTerminalsAtExit } from '../../native/terminals.ts'
import { compareWithChain } from '../../snapshot/compareWithChain.ts'
import { createSnapshot } from '../../snapshot/createSnapshot.ts'
import { messageOf } from '../../snapshot/errors.ts'
import { FolderSource } from '../../snapshot/folderSource.ts'
import { parseManifest } from '../../snapshot/manifest.ts'
import { verifySnapshot } from '../../snapshot/verifySnapshot.ts'
import { LOWEST_PRIORITY, yieldToOthers } from '../../util/priority.ts'
import type { SnapshotJob, SnapshotJobEnd } from './snapshotJob.ts'

/** Entry of the process that makes or checks a snapshot for a member of a fleet, and ends. */

// The node has priority, and nothing is made for one that is gone.
const refusal = yieldToOthers(LOWEST_PRIORITY)
if (refusal !== null)
  process.emitWarning(`snapshots of the fleet are made at the priority of the node: ${refusal}`)
process.once('disconnect', () => process.exit(1))
// A terminal that is closed ends the node, or does not.
process.on('SIGHUP', () => undefined)
releaseTerminalsAtExit()
process.once('message', async (job: SnapshotJob) => {
  const end = await run(job).then(
    (): SnapshotJobEnd => ({ kind: 'done' }),
    (error: unknown): SnapshotJobEnd => ({ kind: 'failed', code: codeOf(error), message: messageOf(error) }),
  )
  process.send?.(end, () => process.exit(0))
})

async function run({ kind, chain, dataDir, folder, depth, program }: SnapshotJob): Promise<void> {
  const spec = chosenNetwork(chain)
  if (kind === 'create') {
    const created = new Date()
    await createSnapshot({ spec, dataDir, folder, depth, blocks: null, full: false, program, created })
    return
  }
  const source = new FolderSource(folder)
  // What takes a moment comes first.
  await compareWithChain({ spec, dataDir }, parseManifest(await source.manifest()).manifest)
  await verifySnapshot({ spec, source, trust: { kind: 'anyone' } })
}

function codeOf(error: unknown): string | null {
  const code = error instanceof Error ? (error as { code?: unknown }).code : null
  return typeof code === 'string' ? code : null
}
