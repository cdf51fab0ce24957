// Says nothing at all.
return await demo.echo();
