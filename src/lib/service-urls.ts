import { Secret } from './tokens.ts'

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Reads the settings in an SMTP_URL. `smtp:` also requires TLS, through STARTTLS, unless the server
 * is on this machine or `?tls=` says otherwise. If TLS were optional, an attacker in between could
 * hide the offer of STARTTLS and read passwords and invoices. The message of the Error that it
 * throws completes a sentence that begins with "SMTP_URL".
 */
export function readSmtpUrl(text: string) {
  const url = URL.parse(text)
  if (!url?.hostname || !['smtp:', 'smtps:'].includes(url.protocol)) {
    throw new Error('must be a URL such as smtps://user:password@mail.example.com')
  }
  const { tls, ...others } = Object.fromEntries(url.searchParams)
  const mode = tls ?? (LOOPBACK.test(url.hostname) ? 'off' : 'required')
  if (Object.keys(others).length > 0 || !['required', 'optional', 'off'].includes(mode)) {
    throw new Error('can only end in ?tls=required, ?tls=optional or ?tls=off')
  }
  const secure = url.protocol === 'smtps:'
  const user = decodeURIComponent(url.username)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port ? Number(url.port) : secure ? 465 : 587,
    secure,
    requireTLS: !secure && mode === 'required',
    ignoreTLS: !secure && mode === 'off',
    ...(user && { auth: { user, pass: decodeURIComponent(url.password) } }),
  }
}

/** A bucket in an S3-compatible store. */
export interface S3Address {
  /** The store's URL, without the bucket. */
  endpoint: string
  region: string
  bucket: string
  /** A prefix for every key: empty, or a string that ends in a slash. */
  prefix: string
  /**
   * If undefined, the machine's own credentials are used, found in the same way as by Amazon's
   * tools.
   */
  credentials: { accessKeyId: string; secretAccessKey: Secret } | undefined
}

const FORM = 'must be a URL such as s3://KEY:SECRET@s3.example.com/bucket?region=eu-west-1'

/**
 * Reads `s3://KEY:SECRET@host/bucket/prefix?region=…`; `s3+http://` means no TLS. The message of
 * the Error that it throws completes a sentence that begins with "STORAGE_URL".
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

/** Reads the headers for a receiver of traces: `NAME=VALUE,NAME=VALUE`, percent-encoded. */
export function readTraceHeaders(text: string): Record<string, string> {
  const parts = text.split(',').filter((part) => part.trim() !== '')
  const pairs = parts.map((part) => {
    const [, name, value] = /^\s*([\w-]+)\s*=(.*)$/.exec(part) ?? []
    if (name === undefined || value === undefined) {
      throw new Error('must list headers as NAME=VALUE, separated by commas')
    }
    return [name, decode(value.trim())] as const
  })
  return Object.fromEntries(pairs)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('must have percent-encoded values')
  }
}

const HOSTS = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s

/** Returns one URL for each host. Only other clients need `target_session_attrs`. */
export function urlsOf(url: string): string[] {
  const [, start = '', hosts = '', end = ''] = HOSTS.exec(url) ?? []
  const rest = end.replace(/([?&])target_session_attrs=[^&]*(&?)/, (_, before, after) =>
    after ? before : '',
  )
  return hosts.split(',').map((host) => `${start}${host}${rest}`)
}

/** Returns the URL with the host of `first`, one of its own URLs, before the others. */
export function withFirst(url: string, first: string): string {
  const [, start = '', hosts = '', end = ''] = HOSTS.exec(url) ?? []
  const all = hosts.split(',')
  const host = all[urlsOf(url).indexOf(first)]
  if (host === undefined) return url
  return start + [host, ...all.filter((other) => other !== host)].join(',') + end
}

/** Returns the host and port of a URL with one host, without its password. */
export const hostOf = (url: string): string => HOSTS.exec(url)?.[2] ?? ''
