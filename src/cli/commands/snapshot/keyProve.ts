import { readSignerKey } from '../../../snapshot/signerKeyFile.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { readPassphrase, required, SIGNER_KEY, withSnapshotErrors } from '../../snapshotCommand.ts'

/** `rhizome snapshot key prove`: prints public key and proof of possession again. */
export const snapshotKeyProve = defineCommand({
  name: 'snapshot key prove',
  summary: 'print the public key of a file with the proof that its secret is there',
  files: 'none',
  options: [],
  extra: SIGNER_KEY,
  run: ({ extra, stdout }) =>
    withSnapshotErrors(async () => {
      const path = required(extra.keyFile, '--key-file')
      const key = await readSignerKey(path, await readPassphrase(extra.passphraseFile))
      stdout.write(`${key.publicKey}:${key.prove()}\n`)
      return EXIT_CODES.ok
    }),
})
