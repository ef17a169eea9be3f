type Nullable<Fields> = {
  [Name in keyof Fields]: null extends Fields[Name] ? Name : never
}[keyof Fields]

export const withoutNull = <Fields extends object>(fields: Fields) =>
  pick(fields, (name) => fields[name] !== null) as Omit<Fields, Nullable<Fields>> & {
    [Name in Nullable<Fields>]?: NonNullable<Fields[Name]>
  }

export const pick = <Fields extends object>(
  fields: Fields,
  isWanted: (name: keyof Fields) => boolean,
): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([name]) => isWanted(name as keyof Fields)),
  ) as Partial<Fields>
