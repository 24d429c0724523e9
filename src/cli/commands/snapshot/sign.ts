import { readSignerKey } from '../../../snapshot/signerKeyFile.ts'
import { signSnapshot } from '../../../snapshot/signSnapshot.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import {
  onlyArgument,
  readPassphrase,
  required,
  SIGNER_KEY,
  withSnapshotErrors,
} from '../../snapshotCommand.ts'

/** `rhizome snapshot sign FOLDER`: adds a signature to a snapshot. */
export const snapshotSign = defineCommand({
  name: 'snapshot sign',
  summary: 'add the signature of a key to a snapshot',
  details: 'The folder needs only the manifest. Who signs should have verified the snapshot, or made it.',
  files: 'some',
  options: [],
  extra: SIGNER_KEY,
  run: ({ extra, files, stdout }) =>
    withSnapshotErrors(async () => {
      const folder = onlyArgument(files, 'the folder of the snapshot')
      const path = required(extra.keyFile, '--key-file')
      const key = await readSignerKey(path, await readPassphrase(extra.passphraseFile))
      const { snapshot, signers } = await signSnapshot(folder, key)
      stdout.write(`snapshot ${snapshot}\nsigned by ${signers.length}: ${signers.join(', ')}\n`)
      return EXIT_CODES.ok
    }),
})
