"""Exports to S3: ExportTableToPointInTime, DescribeExport, ListExports.

`export_table` checks a request and begins an export, `filters` compiles its FilterSpecification,
`existing_exports` describes and lists. What an export reads and writes is in
`hashrange.backups.exports`; `hashrange.background.export_jobs` does it. Begin with `export_table`.
"""
