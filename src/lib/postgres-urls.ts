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
