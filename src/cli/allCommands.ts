import type { CommandDefinition } from './command.ts'
import { bridgeRehearse } from './commands/bridgeRehearse.ts'
import { check } from './commands/check.ts'
import { configCheck } from './commands/configCheck.ts'
import { configShow } from './commands/configShow.ts'
import { exportBlocks } from './commands/export.ts'
import { fleetInit } from './commands/fleet/init.ts'
import { fleetStatus } from './commands/fleet/status.ts'
import { fleetUpgrade } from './commands/fleet/upgrade.ts'
import { importBlocks } from './commands/import.ts'
import { keyCreate } from './commands/keyCreate.ts'
import { keyList } from './commands/keyList.ts'
import { keyRemove } from './commands/keyRemove.ts'
import { keyRotate } from './commands/keyRotate.ts'
import { keySet } from './commands/keySet.ts'
import { keyDisable, keyEnable } from './commands/keySwitch.ts'
import { keyUsage } from './commands/keyUsage.ts'
import { migrate } from './commands/migrate.ts'
import { mine } from './commands/mine.ts'
import { miners } from './commands/miners.ts'
import { peerAdd } from './commands/peer/add.ts'
import { peerBan } from './commands/peer/ban.ts'
import { peerId } from './commands/peer/id.ts'
import { peerImportKey } from './commands/peer/importKey.ts'
import { peerList } from './commands/peer/list.ts'
import { peerScore } from './commands/peer/score.ts'
import { produce } from './commands/produce.ts'
import { rewind } from './commands/rewind.ts'
import { snapshotCreate } from './commands/snapshot/create.ts'
import { snapshotKeyCreate } from './commands/snapshot/keyCreate.ts'
import { snapshotKeyProve } from './commands/snapshot/keyProve.ts'
import { snapshotMerge } from './commands/snapshot/merge.ts'
import { snapshotRestore } from './commands/snapshot/restore.ts'
import { snapshotSign } from './commands/snapshot/sign.ts'
import { snapshotVerify } from './commands/snapshot/verify.ts'
import { start } from './commands/start.ts'

/** The commands of `rhizome`, in the order of its help. */
export const COMMANDS: readonly CommandDefinition[] = [
  start,
  importBlocks,
  exportBlocks,
  check,
  rewind,
  migrate,
  mine,
  miners,
  produce,
  peerId,
  peerImportKey,
  peerList,
  peerAdd,
  peerBan,
  peerScore,
  fleetInit,
  fleetStatus,
  fleetUpgrade,
  bridgeRehearse,
  snapshotCreate,
  snapshotVerify,
  snapshotRestore,
  snapshotSign,
  snapshotMerge,
  snapshotKeyCreate,
  snapshotKeyProve,
  configShow,
  configCheck,
  keyCreate,
  keyList,
  keyDisable,
  keyEnable,
  keyRemove,
  keyRotate,
  keySet,
  keyUsage,
]
