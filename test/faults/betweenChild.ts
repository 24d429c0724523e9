import { rewindInSteps } from '../../src/chain/rewindInSteps.ts'
import { openPresentChain } from '../../src/cli/openNode.ts'
import { fillDefaults } from '../../src/config/load.ts'
import { openChain } from '../../src/execution/openChain.ts'
import { StateIntake } from '../../src/native/snapshot.ts'
import { StateStore } from '../../src/native/stateStore.ts'
import { FolderSource } from '../../src/snapshot/folderSource.ts'
import { restoreSnapshot } from '../../src/snapshot/restoreSnapshot.ts'
import { REGTEST } from '../support/openTestChain.ts'
import { ACTIONS, type ActionName, openPatient } from './betweenActions.ts'
import { DeathAt, dieAtCommits } from './dieAtCommits.ts'
import { growPruned, openPruned } from './prunedNode.ts'

/**
 * Does one thing that writes both stores of a data directory, and kills itself at one of its commits: `states` behind
 * that of the state store, `chain` behind that of the chain store, `taken` behind a piece of the states
 * of a snapshot, `dropped` and `forgotten` behind the commits that give up tries and values of old states.
 */
// `rewindTo` is followed by the number of a block.
const [dataDir = '', action = '', point = '', nth = '1', snapshot = ''] = process.argv.slice(2)

const death = new DeathAt(point, Number(nth))
dieAtCommits(death)
const { take } = StateIntake.prototype
StateIntake.prototype.take = async function (this: StateIntake, piece) {
  const report = await take.call(this, piece)
  death.reached('taken')
  return report
}

const { dropBefore, settleHistory } = StateStore.prototype
StateStore.prototype.dropBefore = function (this: StateStore, end) {
  const bytes = dropBefore.call(this, end)
  if (bytes > 0) death.reached('dropped')
  return bytes
}
StateStore.prototype.settleHistory = function (this: StateStore) {
  const { steps } = this.historyStats()
  settleHistory.call(this)
  if (this.historyStats().steps < steps) death.reached('forgotten')
}

if (action === 'genesis') {
  death.isArmed = true
  openChain({ spec: REGTEST, dataDir })
} else if (action === 'restore') {
  death.isArmed = true
  const source = new FolderSource(snapshot)
  await restoreSnapshot({ spec: REGTEST, dataDir, source, trust: { kind: 'anyone' } })
} else if (action === 'prune') {
  const node = openPruned(dataDir)
  death.isArmed = true
  await growPruned(node, 60)
} else if (action.startsWith('rewindTo')) {
  death.isArmed = true
  const opened = openPresentChain(fillDefaults({ network: 'regtest', dataDir }))
  await rewindInSteps(opened.chain, Number(action.slice('rewindTo'.length)), { blocksOfAStep: 100 })
} else {
  const { prepare, act } = ACTIONS[action as ActionName]
  const node = openPatient(dataDir)
  const prepared = await prepare(node.core)
  death.isArmed = true
  await act(node.core, prepared)
}
