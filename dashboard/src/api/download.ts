import { ApiError } from './call.ts'
import { history } from './history.ts'
import { businessId, modeOf } from './session.ts'

/** Downloads a URL as a file. A plain link could not send the session's headers. */
export async function download(address: string): Promise<void> {
  const business = businessId()
  const response = await fetch(address, {
    headers: {
      'x-tradepost-mode': modeOf(history.location.pathname),
      ...(business && { 'x-business-id': business }),
    },
    credentials: 'same-origin',
  })
  if (!response.ok) {
    throw new ApiError(`The file could not be downloaded (${response.status}).`, {
      status: response.status,
      code: 'download',
    })
  }
  const [, name = 'tradepost.csv'] =
    /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '') ?? []
  saveFile(name, await response.blob())
}

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
