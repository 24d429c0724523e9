import { verifySnapshot } from '../../../snapshot/verifySnapshot.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { UNSIGNED } from '../../snapshotCommand.ts'
import { readSnapshot } from '../../snapshotReading.ts'
import { describeManifest } from '../../snapshotText.ts'

/** `rhizome snapshot verify FOLDER|URL`: checks everything that a restore checks, and writes nothing. */
export const snapshotVerify = defineCommand({
  name: 'snapshot verify',
  summary: 'check a snapshot of a folder or an address, and write nothing',
  files: 'some',
  options: ['network', 'config', 'snapshotKeys', 'snapshotQuorum', 'logLevel', 'logFormat'],
  extra: UNSIGNED,
  run: async (command) => {
    const [verified, time] = await readSnapshot(command, verifySnapshot)
    command.stdout.write(`${describeManifest(verified)}\nwhole, in ${time}\n`)
    return EXIT_CODES.ok
  },
})
