name := "shop"
version := "1.0"
scalaVersion := "2.13.16"

enablePlugins(JmhPlugin)
