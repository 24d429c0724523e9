import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TlsFiles } from '../../src/front/tls.ts'

/** Makes a certificate of its own issuer for this machine, and its key. */
export function createCertificate(folder: string, name: string): TlsFiles {
  mkdirSync(folder, { recursive: true })
  const certificate = join(folder, `${name}.crt`)
  const key = join(folder, `${name}.key`)
  const files = ['-keyout', key, '-out', certificate]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', '-x509', ...kind, ...files, ...subject], { stdio: 'ignore' })
  return { certificate, key }
}
