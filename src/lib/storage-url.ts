import { Secret } from './secret.ts'

/** A bucket of a store that speaks S3. */
export interface S3Address {
  /** Of the store, without the bucket. */
  endpoint: string
  region: string
  bucket: string
  /** Comes before every key: empty, or text that ends in a slash. */
  prefix: string
  /** Without them, those that the machine itself has, as Amazon's tools find them. */
  credentials: { accessKeyId: string; secretAccessKey: Secret } | undefined
}

const FORM = 'must be like s3://KEY:SECRET@s3.example.com/bucket?region=eu-west-1'

/**
 * Reads `s3://KEY:SECRET@host/bucket/prefix?region=…`; `s3+http://` is one without TLS. Throws an
 * Error whose message completes "STORAGE_URL …".
 */
export function readStorageUrl(text: string): S3Address {
  const [, scheme, rest] = /^(s3|s3\+http):\/\/(.+)$/.exec(text) ?? []
  const url = rest === undefined ? null : URL.parse(`http://${rest}`)
  if (!url) throw new Error(FORM)
  const [bucket = '', ...prefix] = url.pathname.split('/').filter((step) => step !== '')
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw new Error(FORM)
  if (!url.username !== !url.password) throw new Error('must have both a key and its secret')
  return {
    endpoint: `${scheme === 's3' ? 'https' : 'http'}://${url.host}`,
    region: url.searchParams.get('region') ?? 'us-east-1',
    bucket,
    prefix: prefix.length > 0 ? `${prefix.join('/')}/` : '',
    credentials: url.username
      ? {
          accessKeyId: decodeURIComponent(url.username),
          secretAccessKey: new Secret(decodeURIComponent(url.password)),
        }
      : undefined,
  }
}
