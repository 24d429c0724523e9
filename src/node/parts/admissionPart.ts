import { type NodeAdmission, openNodeAdmission } from '../openAdmission.ts'
import type { NodeScope } from './nodeScope.ts'

/**
 * Opens keys and usage; the chain thread has settled whose the data directory is.
 * @throws NodeError `KEYS_FILE`, `ACCESS_STORE`
 */
export async function openAdmission({
  config,
  log,
  membership,
  metrics,
  parts,
}: NodeScope): Promise<NodeAdmission> {
  const access = await parts.open({
    open: () => openNodeAdmission(config, log, membership.access),
    close: (access) => access.close(),
  })
  metrics.watchAccess((most) => access.admission.stats(most))
  return access
}
