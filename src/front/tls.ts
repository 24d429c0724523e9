import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Files of a certificate, with those of its issuers behind it, and of its key, both PEM. */
export interface TlsFiles {
  readonly certificate: string
  readonly key: string
}

/** The data that a certificate has of itself. */
export interface TlsMetadata {
  readonly subject: string
  /** Milliseconds since 1970 after which clients refuse it. */
  readonly validTo: number
}

/** Certificate and key cannot be used. The message says which file and why. */
export class TlsError extends Error {
  override readonly name = 'TlsError'
  readonly code = 'TLS_FILES'
}

/**
 * Reads certificate and key as a listener would.
 * @param now milliseconds since 1970
 * @throws TlsError for a file that is missing or not PEM, a key that does not match, or a certificate outside of its
 * validity period
 */
export function checkTlsFiles({ certificate, key }: TlsFiles, now: number = Date.now()): TlsMetadata {
  const x509 = readCertificate(certificate)
  if (!x509.checkPrivateKey(readKey(key))) {
    throw new TlsError(`the key in ${key} is not that of the certificate in ${certificate}`)
  }
  const from = Date.parse(x509.validFrom)
  const to = Date.parse(x509.validTo)
  if (now > to) throw new TlsError(`the certificate in ${certificate} was valid until ${x509.validTo}`)
  if (now < from)
    throw new TlsError(`the certificate in ${certificate} is not valid before ${x509.validFrom}`)
  return { subject: x509.subject, validTo: to }
}

function readCertificate(path: string): X509Certificate {
  try {
    return new X509Certificate(readText(path))
  } catch (error) {
    if (error instanceof TlsError) throw error
    throw new TlsError(`${path} holds no certificate in PEM`, { cause: error })
  }
}

function readKey(path: string): KeyObject {
  try {
    return createPrivateKey(readText(path))
  } catch (error) {
    if (error instanceof TlsError) throw error
    throw new TlsError(`${path} holds no private key in PEM without a passphrase`, { cause: error })
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new TlsError(`cannot read ${path}: ${reason}`, { cause: error })
  }
}
