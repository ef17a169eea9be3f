type Init = Pick<RequestInit, 'method' | 'body' | 'signal'> & { headers?: Record<string, string> }

/** As `fetch`, and tells how much of the body has gone up, which `fetch` cannot. */
export const putUp =
  (progress: (share: number) => void) =>
  (address: string, { method = 'POST', headers = {}, body, signal }: Init): Promise<Response> =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, address)
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
      request.upload.onprogress = ({ loaded, total, lengthComputable }) => {
        if (lengthComputable) progress(total === 0 ? 1 : loaded / total)
      }
      request.onload = () => {
        const type = request.getResponseHeader('content-type') ?? ''
        resolve(
          new Response(request.responseText, {
            status: request.status,
            headers: { 'content-type': type },
          }),
        )
      }
      request.onerror = () => reject(new TypeError('The connection broke.'))
      request.onabort = () => reject(new DOMException('It was called off.', 'AbortError'))
      signal?.addEventListener('abort', () => request.abort())
      request.send(body as XMLHttpRequestBodyInit)
    })
