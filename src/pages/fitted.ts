interface Size {
  width: number
  height: number
}

/** The size of a picture that is to fit into a box, enlarged too, in whole pixels. */
export function fitted({ width, height }: Size, box: Size): Size {
  const scale = Math.min(box.width / width, box.height / height)
  const whole = (edge: number) => Math.max(1, Math.round(edge * scale))
  return { width: whole(width), height: whole(height) }
}
