const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * The settings in an SMTP_URL. TLS is demanded of `smtp:` too, by STARTTLS, unless the server is on
 * this machine or `?tls=` says otherwise: a password or an invoice must not cross a network in the
 * clear because somebody on the way hid the offer. Throws an Error that completes "SMTP_URL …".
 */
export function readSmtpUrl(text: string) {
  const url = URL.parse(text)
  if (!url?.hostname || !['smtp:', 'smtps:'].includes(url.protocol)) {
    throw new Error('must be a URL such as smtps://user:password@mail.example.com')
  }
  const { tls, ...others } = Object.fromEntries(url.searchParams)
  const mode = tls ?? (LOOPBACK.test(url.hostname) ? 'off' : 'required')
  if (Object.keys(others).length > 0 || !['required', 'optional', 'off'].includes(mode)) {
    throw new Error('may only end in ?tls=required, ?tls=optional or ?tls=off')
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
