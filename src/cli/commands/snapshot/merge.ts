import { mergeSignatures } from '../../../snapshot/signSnapshot.ts'
import { defineCommand } from '../../command.ts'
import { CommandError } from '../../errors.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { withSnapshotErrors } from '../../snapshotCommand.ts'

/** `rhizome snapshot merge FOLDER FILE…`: adds signatures of other operators. */
export const snapshotMerge = defineCommand({
  name: 'snapshot merge',
  summary: 'add the signatures of other operators, from their files, to a snapshot',
  details: 'Takes the folder of the snapshot, then the files.',
  files: 'some',
  options: [],
  extra: {},
  run: ({ files, stdout }) =>
    withSnapshotErrors(async () => {
      const [folder, ...others] = files
      if (folder === undefined || others.length === 0) {
        throw new CommandError('Failed', 'name the folder of the snapshot, then the files of signatures')
      }
      const { snapshot, signers } = await mergeSignatures(folder, others)
      stdout.write(`snapshot ${snapshot}\nsigned by ${signers.length}: ${signers.join(', ')}\n`)
      return EXIT_CODES.ok
    }),
})
